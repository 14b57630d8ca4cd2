#!/bin/sh
# Builds the bot into build/. Says in one sentence what is missing, if anything is.
set -eu
cd "$(dirname "$0")"

packages="g++ cmake make libgrpc++-dev libssl-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc"
headers='#include <grpcpp/grpcpp.h>
#include <google/protobuf/util/json_util.h>
#include <openssl/sha.h>'
for tool in c++ cmake make protoc grpc_cpp_plugin; do
  command -v "$tool" >/dev/null || missing=$tool
done
printf '%s\n' "$headers" | c++ -std=c++20 -E -x c++ - >/dev/null 2>&1 || missing=${missing:-the headers of gRPC}
if [ -n "${missing:-}" ]; then
  echo "This bot needs $missing to be built: install it with 'apt install $packages'." >&2
  exit 1
fi

# A build folder that came along with a copied bot belongs to the original: begin anew.
grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" build/CMakeCache.txt || rm -rf build
cmake -S . -B build -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release
cmake --build build --parallel "${BUILD_JOBS:-2}"
