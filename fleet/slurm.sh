# Slurm. srun takes partition, account and time limit from SLURM_PARTITION, SLURM_ACCOUNT and SLURM_TIMELIMIT. A node
# that stays busy for a minute is left out.
list_nodes() {
    if [ -n "$nodes" ]; then scontrol show hostnames "$nodes"; else sinfo -h -N -r -t idle,mix,alloc -o %N | sort -u; fi
}
on_all() {
    list_nodes | xargs -P 32 -I NODE srun -Q -N 1 -n 1 -w NODE --immediate=60 sh -c "echo NODE \$($1)"
}
on() { # the node's whole, as other jobs would spoil the times
    srun -Q -N 1 -n 1 -w "$1" --exclusive --cpu-bind=none -u sh -c "$2"
}
