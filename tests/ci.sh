#!/usr/bin/env bash
# The steps of examples/ci/cyclops-check.yml that check a model, run as GitHub runs them: `sh -e`, as it does in a
# container. The workflow asks for no permission that it does not use.  ci.sh BUILD
. "$(dirname "$0")/lib.sh"
workflow=$here/../examples/ci/cyclops-check.yml
python3 -c 'import yaml' 2>/dev/null || skip "Python's yaml is missing"
cd "$T" || exit 1
# step NAME: runs the commands of that step.
step() {
    python3 - "$workflow" "$1" >step.sh <<'PYTHON' || return 99
import sys, yaml
steps = yaml.safe_load(open(sys.argv[1]))["jobs"]["check"]["steps"]
command, = [step["run"] for step in steps if step.get("name") == sys.argv[2]]
print(command)
PYTHON
    env PATH="$build/bin:$PATH" GITHUB_STEP_SUMMARY="$T/summary.md" CYCLOPS_REPOSITORY= sh -e step.sh
}

expect 0 '' "$cyclops" survey SUB64rr IMUL64rr --isa x86_64 --target sim:znver4,noise=none --output survey
overlay mine znver4 >model.yaml <<'YAML'
  - {match: SUB64rr, latency: 2}
YAML
expect 1 '::error file=model.yaml,line=[0-9]+,title=gap' step 'Check the model'
expect 0 '^### Cyclops: findings' cat summary.md
expect 0 'allow.yaml: ' step 'Write the allow-list'
expect 0 '[0-9]+ allowed' step 'Check the model'
expect 0 '^### Cyclops: all findings are allowed' cat summary.md
sed -i 's/latency: 2/latency: x/' model.yaml
expect 1 'model.yaml:7:' step 'Write the allow-list'
expect 1 'set the variable CYCLOPS_REPOSITORY' step 'Build Cyclops'
expect 0 "^{'contents': 'read'}\$" python3 -c '
import sys, yaml
print(yaml.safe_load(open(sys.argv[1]))["permissions"])' "$workflow"
finish
