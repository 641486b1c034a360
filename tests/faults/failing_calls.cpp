// A library to preload: makes one system call that writes files fail, as a full disk or a broken one would.
//
//   BL_FAULT=CALL:N:ERRNO   the Nth CALL (write, fsync, rename or close) on a file opened for writing, other
//                           than the standard streams, fails with this error; later ones work again
//   BL_FAULT_MARK=FILE      made when that happened
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<int> calls{0};

// Whether this call is the one that fails; errno is set then.
bool fails(const char* call) {
  const char* wanted = std::getenv("BL_FAULT");
  if (wanted == nullptr) return false;
  char name[16] = "";
  int number = 0, error = 0;
  if (std::sscanf(wanted, "%15[a-z]:%d:%d", name, &number, &error) != 3) return false;
  if (std::strcmp(name, call) != 0 || ++calls != number) return false;
  if (const char* mark = std::getenv("BL_FAULT_MARK"))
    syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT, 0600));
  errno = error;
  return true;
}

bool is_output(int descriptor) {
  struct stat status {};
  return descriptor > STDERR_FILENO && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
         (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  if (is_output(descriptor) && fails("write")) return -1;
  return next<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, count);
}

int fsync(int descriptor) {
  if (is_output(descriptor) && fails("fsync")) return -1;
  return next<int(int)>("fsync")(descriptor);
}

int rename(const char* from, const char* to) {
  if (fails("rename")) return -1;
  return next<int(const char*, const char*)>("rename")(from, to);
}

// As the kernel does it: the descriptor is gone, whatever close returns.
int close(int descriptor) {
  const bool failed = is_output(descriptor) && fails("close");
  const int error = errno;
  const int result = next<int(int)>("close")(descriptor);
  if (!failed) return result;
  errno = error;
  return -1;
}
}
