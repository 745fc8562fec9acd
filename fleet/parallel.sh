# GNU parallel, over ssh, without questions: each node must know the key. It needs perl there, too.
ssh='ssh -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=15'
list_nodes() {
    tr ',' '\n' <<<"$nodes"
}
on_all() {
    parallel --will-cite --nonall --tag --ssh "$ssh" -S "$nodes" "$1" </dev/null | tr '\t' ' '
}
on() {
    parallel --will-cite --pipe --recend '' --block 1G -j 1 --line-buffer --ssh "$ssh" -S "$1" "$2"
}
