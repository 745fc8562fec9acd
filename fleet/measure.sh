#!/usr/bin/env bash
# Measures what bundles of Cyclops hold, once on each kind of machine among some nodes. Run it where the bundles' names
# are right. Its arguments are options of the bundles, such as --attempt 10.
#
# A node needs sh, awk, tar, gzip, and room for the bundle in its folder of temporary files, which must allow programs
# (TMPDIR names another one). Nothing stays there, unless the node dies. Each value comes back as it is measured: a node
# that dies loses what it had in hand. Run this again then; it, or another node of its kind, goes on.
#
#   OUTPUT/KIND/SURVEY/      a bundle in its survey's folder: a survey's folder, for 'cyclops table'
#   OUTPUT/KIND/BUNDLE.jsonl any other bundle: a measurement file, for 'cyclops run --from'
#   OUTPUT/KIND/….log        what the bundle reported, such as instructions that the CPU lacks
set -u -o pipefail
export LC_ALL=C

@settings@

# What a node prints: its kind, by what tells CPUs apart. It is the name of a folder.
identify=$(
    cat <<'SCRIPT'
@kind.sh@
SCRIPT
)

# What a node does with the bundle and what is known of its kind. A bundle exits with 1 where a program did not end
# well, as those that the CPU lacks; the others are measured. "finished" is for srun, which may exit with 0 where a node
# died.
# shellcheck disable=SC2016 # the node expands it
measure='folder=$(mktemp -d) && trap "rm -rf $folder" EXIT && trap "exit 4" HUP INT TERM && cd "$folder" &&
    tar -xzf - || exit 3
./bundle --resume --output journal --json '"${*@Q}"' </dev/null
[ $? -le 1 ] && echo finished >&2'

temporary=$(mktemp -d) || exit
trap 'rm -rf "$temporary"' EXIT
trap 'trap "" TERM; kill 0; exit 130' INT TERM # what runs in the background does not get Ctrl-C
failed=$temporary/failed
: >"$failed"

# measure_on NODE KIND I: bundle number I. Its values are added to the file, behind half a line of a node that died.
measure_on() {
    local bundle=${bundles[$3]} file=$output/$2/${files[$3]} send=$temporary/$2-$3 survey n
    survey=$(dirname "$bundle")
    mkdir -p "$(dirname "$file")" "$send"
    if [[ $file == */measurements.jsonl && ! -e ${file%/*}/kernels ]]; then
        cp -R "$survey"/forms.jsonl* "$survey/commands.txt" "$survey/kernels" "${file%/*}"
    fi
    touch "$file" && { [[ $(tail -n 1 "$file" | tail -c 2) == "}" ]] || sed -i '$d' "$file"; } &&
        ln -s "$(realpath "$bundle")" "$send/bundle" && ln -s "$(realpath "$file")" "$send/journal" &&
        tar -C "$send" -czhf - bundle journal | on "$1" "$measure" >>"$file" 2>"$file.log"
    local status=$?
    n=$(grep -c '"record":"measurement"' "$file")
    echo "$1: $file: $n lines of values"
    [ $status = 0 ] && [ "$n" -gt 0 ] && grep -qx finished "$file.log" ||
        echo "$1: $bundle: $(grep -v '^tar: Exiting' "$file.log" | tail -n 1)" >>"$failed"
    [ "$(grep -o '"cyclops":"[^"]*"' "$file" | sort -u | wc -l)" -le 1 ] ||
        echo "$1: $file: note: values of several versions of Cyclops"
}

# Of each kind, as many nodes work as there are bundles. A node measures one bundle after another.
list_nodes | sort -u >"$temporary/nodes"
on_all "$identify" | awk 'NF == 2 && $2 ~ /^[A-Za-z0-9_][A-Za-z0-9._-]*$/' | sort -u >"$temporary/kinds"
mapfile -t kinds < <(cut -d ' ' -f 2 "$temporary/kinds" | sort -u)
for kind in "${kinds[@]}"; do
    mapfile -t alike < <(awk -v kind="$kind" '$2 == kind { print $1 }' "$temporary/kinds")
    echo "$kind: ${alike[*]}"
    for ((i = 0; i < ${#alike[@]} && i < ${#bundles[@]}; i++)); do
        for ((k = i; k < ${#bundles[@]}; k += ${#alike[@]})); do
            measure_on "${alike[i]}" "$kind" "$k"
        done &
    done
done
wait

join -v 1 "$temporary/nodes" <(cut -d ' ' -f 1 "$temporary/kinds" | sort -u) | sed 's/$/: no answer/' >>"$failed"
if [ -s "$failed" ]; then
    echo 'Without a result, or with a part of it; run this again:'
    sort "$failed"
    exit 1
fi >&2
