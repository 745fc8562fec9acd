# One static library per folder of the map, and its unit tests beside it. Names of files say what they are:
#     SUBJECT_test.c           a cmocka program, the test MODULE.FOLDER.SUBJECT
#     testing*.c, fake_*.c     what several of those use, in a library of their own
#     main.c                   a program's, and no part of the module
#     all others               the module
# Labels of tests are in tests/labels.cmake.
include(${PROJECT_SOURCE_DIR}/tests/labels.cmake)

# What tests run with. The numbers and texts that they expect are LLVM 19's, which every Debian 12 has.
set(CYCLOPS_TESTS_ENV
  "CYCLOPS_PREFIX=${PROJECT_BINARY_DIR}"
  CYCLOPS_LLVM=19
  LC_ALL=C.UTF-8
  "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")

add_library(cyclops_warnings INTERFACE)
target_compile_options(cyclops_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wcast-qual -Wswitch-enum -Wformat=2
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wstrict-prototypes -Wmissing-prototypes>)

set(testing_file "/(testing|fake_)[^/]*$")
set(test_file "_test\\.c$")

# cyclops_sources(VARIABLE folder…): the files of a module.
function(cyclops_sources variable)
  set(sources)
  foreach(folder IN LISTS ARGN)
    file(GLOB found CONFIGURE_DEPENDS ${folder}/*.c)
    list(APPEND sources ${found})
  endforeach()
  list(FILTER sources EXCLUDE REGEX "${testing_file}|${test_file}|/main\\.c$")
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# cyclops_module(NAME [FOLDERS folder…] [SOURCES file…] [LINKS library…]): the files of this folder and of FOLDERS below
# it; or, where SOURCES are given, those alone.
function(cyclops_module name)
  cmake_parse_arguments(arg "" "" "FOLDERS;SOURCES;LINKS" ${ARGN})
  set(folders ${CMAKE_CURRENT_SOURCE_DIR})
  list(TRANSFORM arg_FOLDERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(APPEND folders ${arg_FOLDERS})
  set(sources ${arg_SOURCES})
  if(NOT sources)
    cyclops_sources(sources ${folders})
  endif()
  add_library(cyclops_${name} STATIC ${sources})
  target_include_directories(cyclops_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_definitions(cyclops_${name} PRIVATE _GNU_SOURCE)
  target_link_libraries(cyclops_${name} PUBLIC ${arg_LINKS} PRIVATE cyclops_warnings)
  set_target_properties(cyclops_${name} PROPERTIES CYCLOPS_FOLDERS "${folders}")
endfunction()

# cyclops_tests(NAME [LINKS library…]): the unit tests of that module. LINKS: what they need besides it.
function(cyclops_tests name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "LINKS" ${ARGN})
  get_target_property(folders cyclops_${name} CYCLOPS_FOLDERS)
  set(helpers)
  set(tests)
  foreach(folder IN LISTS folders)
    file(GLOB found CONFIGURE_DEPENDS ${folder}/testing*.c ${folder}/fake_*.c)
    list(APPEND helpers ${found})
    file(GLOB found CONFIGURE_DEPENDS ${folder}/*_test.c)
    list(APPEND tests ${found})
  endforeach()
  set(library cyclops_${name})
  if(helpers)
    set(library cyclops_${name}_testing)
    add_library(${library} STATIC ${helpers})
    target_compile_definitions(${library} PRIVATE _GNU_SOURCE)
    target_link_libraries(${library} PUBLIC cyclops_${name} PkgConfig::CMOCKA PRIVATE cyclops_warnings)
  endif()
  foreach(test IN LISTS tests)
    file(RELATIVE_PATH subject ${CMAKE_CURRENT_SOURCE_DIR} ${test})
    string(REGEX REPLACE "_test\\.c$" "" subject ${subject})
    string(REPLACE "/" "." subject ${subject})
    cyclops_test(${name}.${subject} SOURCES ${test} LINKS ${library} ${arg_LINKS})
  endforeach()
endfunction()

# cyclops_test(NAME SOURCES file… LINKS library…): one cmocka program; NAME is module.subject.
function(cyclops_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  string(REPLACE "." "_" target test_${name})
  add_executable(${target} ${arg_SOURCES})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_link_libraries(${target} PRIVATE ${arg_LINKS} cyclops_warnings PkgConfig::CMOCKA m)
  add_dependencies(${target} cyclops_llvm) # which some load
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120
    ENVIRONMENT "${CYCLOPS_TESTS_ENV}")
  cyclops_label(${name})
endfunction()
