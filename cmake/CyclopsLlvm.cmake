# Which versions of LLVM to build modules for: one each, so that several can be compared in one run. Default: of the
# versions that were tried those whose -dev package is installed. For a build of your own:
# -DCYCLOPS_LLVM_VERSIONS="19;22" and, where CMake does not find it, -DCMAKE_PREFIX_PATH=/its/prefix.
set(tried 19 22)
set(installed)
foreach(major IN LISTS tried)
  if(EXISTS /usr/lib/llvm-${major}/lib/cmake/llvm/LLVMConfig.cmake)
    list(APPEND installed ${major})
  endif()
endforeach()
if(NOT installed) # whose absence the module's own file reports
  list(GET tried -1 installed)
endif()
foreach(major IN LISTS CYCLOPS_LLVM_VERSIONS)
  if(major LESS 19)
    message(FATAL_ERROR "LLVM ${major} is too old: Cyclops needs 19 or later")
  endif()
endforeach()
if(NOT DEFINED CYCLOPS_LLVM_VERSIONS) # not kept in the cache: a version that is installed later is built as well
  set(CYCLOPS_LLVM_VERSIONS ${installed})
endif()

# One of them also stands in the program itself, linked with LLVM's static libraries at a fixed address: it starts in a
# tenth of the time that relocating libLLVM.so takes. Default: the newest, if there are static libraries of it.
list(SORT CYCLOPS_LLVM_VERSIONS COMPARE NATURAL)
list(GET CYCLOPS_LLVM_VERSIONS -1 newest)
if(NOT DEFINED CYCLOPS_LLVM_BUILT_IN) # OFF: none
  set(CYCLOPS_LLVM_BUILT_IN ${newest})
endif()
