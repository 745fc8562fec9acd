# What tests are, for `ctest -L LABEL`, and which of them must not run side by side. Each list holds regular expressions of
# whole names; its name is the label. What is not slow is fast: ctest -L fast -j2 takes less than 20 seconds.

set(CYCLOPS_LABELS slow qemu llvm)

# More than two seconds.
set(CYCLOPS_LABEL_slow
  bench.noise-study
  bench.sandbox.probe
  bench.targets.native
  gen.kernels
  gen.qemu
  gen.run
  map.programs
  program.batch
  program.branches
  program.bundle
  program.bundle-emulated
  program.bundle-empty-root
  program.corpus.*
  program.check
  program.compiled-loops
  program.completion-zsh
  program.corun
  program.cpu-answers
  program.cpu-card
  program.cpu-commands
  program.cpu-survey-back
  program.end-to-end
  program.equal-to-llvm-mca.*
  program.events
  program.exchange
  program.expectations
  program.fleet
  program.formats
  program.functions-qemu
  program.host-model
  program.hot.*
  program.infer-file
  program.infer-pairs
  program.interrupted
  program.killed
  program.library
  program.llvm-mca
  program.loops.*
  program.known-answers.*
  program.machine
  program.machine-emulated
  program.machines
  program.mixtures
  program.native
  program.page
  program.pmu
  program.precision
  program.regions
  program.results
  program.repair-td
  program.upstream-new
  program.upstream-split
  program.sandbox
  program.survey
  program.survey-here
  program.table-against-itself
  program.vector-results
  program.vectors-lacking
  program.walk-all)

# Of those, the ones that take longest: half a minute and more.
set(CYCLOPS_LONGEST
  program.formats
  program.installed
  program.machine
  program.repair-td
  program.upstream-new
  program.upstream-split
  program.survey)

# Something runs under an emulator.
set(CYCLOPS_LABEL_qemu
  bench.sandbox.aarch64
  gen.qemu
  program.bundle-emulated
  program.end-to-end
  program.functions-qemu
  program.host-model
  program.infer-file
  program.infer-pairs
  program.machine-emulated
  program.pmu
  program.trials
  program.vector-results
  program.vectors-lacking)

# What another version of LLVM may change: its models as we read them, and what its tools print.
set(CYCLOPS_LABEL_llvm
  predict.manual
  golden.explain
  golden.mca-.*
  blocks.decoder
  model.*
  program.equal-to-llvm-mca.*
  program.events
  program.library
  program.llvm-mca
  program.mca-input
  sched.*)

# No label: these measure on the real CPU, and are each other's neighbours. Not those that run code without timing it.
set(CYCLOPS_ON_CPU
  bench.sandbox.sandbox_time
  bench.targets.native
  bench.targets.native_execution
  bench.targets.native_results
  golden.doctor-.*
  hot.replay
  program.batch
  program.branches
  program.bundle
  program.bundle-empty-root
  program.compiled-loops
  program.corpus.*
  program.corun
  program.end-to-end
  program.events
  program.fleet
  program.hot.*
  program.interrupted
  program.killed
  program.loops.*
  program.known-answers
  program.loops-native
  program.machines
  program.precision
  program.regions
  program.sandbox
  program.start-state
  program.survey-here)

# No label either: these judge numbers of the real CPU. Beside any other test most values would be unstable, and the test
# skipped. So ctest runs them when all others have ended, one at a time (RUN_SERIAL).
set(CYCLOPS_ALONE
  program.compiled-loops
  program.known-answers
  program.loops-native
  program.native
  program.precision)

function(cyclops_is_listed name patterns variable)
  set(${variable} FALSE PARENT_SCOPE)
  foreach(pattern IN LISTS patterns)
    if(name MATCHES "^${pattern}$")
      set(${variable} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# cyclops_label(NAME): labels and lock of a test of this folder. Those that wait for each other begin first, and the
# longest, then the other slow ones: so that none of them is left alone at the end.
function(cyclops_label name)
  set(labels)
  foreach(label IN LISTS CYCLOPS_LABELS)
    cyclops_is_listed(${name} "${CYCLOPS_LABEL_${label}}" is_it)
    if(is_it)
      list(APPEND labels ${label})
    endif()
  endforeach()
  set(cost 1)
  if(NOT slow IN_LIST labels)
    list(APPEND labels fast)
    set(cost 0)
  endif()
  cyclops_is_listed(${name} "${CYCLOPS_ON_CPU}" is_on_cpu)
  if(is_on_cpu)
    set(cost 3)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK cpu)
  endif()
  cyclops_is_listed(${name} "${CYCLOPS_LONGEST}" is_longest)
  if(is_longest AND NOT is_on_cpu)
    set(cost 2)
  endif()
  cyclops_is_listed(${name} "${CYCLOPS_ALONE}" is_alone)
  if(is_alone)
    set(cost 0)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL TRUE)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" COST ${cost})
endfunction()
