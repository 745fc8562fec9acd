# ClusterShell, over ssh, without questions: each node must know the key.
ssh='-o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=15'
list_nodes() {
    nodeset -e "$nodes" | tr ' ' '\n'
}
on_all() {
    clush -n -w "$nodes" -o "$ssh" "$1" | sed 's/: / /'
}
on() {
    clush -q -N -S -w "$1" -o "$ssh" "$2"
}
