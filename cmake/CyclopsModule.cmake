# One static library per folder of the map, and its unit tests beside it.

add_library(cyclops_warnings INTERFACE)
target_compile_options(cyclops_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wcast-qual -Wswitch-enum -Wformat=2
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wstrict-prototypes -Wmissing-prototypes>)

# cyclops_module(NAME SOURCES file… LINKS library…)
function(cyclops_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_library(cyclops_${name} STATIC ${arg_SOURCES})
  target_include_directories(cyclops_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_definitions(cyclops_${name} PRIVATE _GNU_SOURCE)
  target_link_libraries(cyclops_${name} PUBLIC ${arg_LINKS} PRIVATE cyclops_warnings)
endfunction()

# cyclops_test(NAME SOURCES file… LINKS library…): a cmocka program; NAME is module.subject.
function(cyclops_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  string(REPLACE "." "_" target test_${name})
  add_executable(${target} ${arg_SOURCES})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_link_libraries(${target} PRIVATE ${arg_LINKS} cyclops_warnings PkgConfig::CMOCKA)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120
    ENVIRONMENT "CYCLOPS_PREFIX=${PROJECT_BINARY_DIR};LC_ALL=C.UTF-8;XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
endfunction()
