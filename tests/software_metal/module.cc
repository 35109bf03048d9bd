// Modules of kind "metal" as TVM writes them into a library: parsed, and their kernels made callable.
//
// A module's kernels are compiled when the first of them is used, by the Python function
// "software_metal.compile_kernels"; and looked for anew at each one's first use, for checks may be other ones by then.
#include <dlfcn.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstring>
#include <map>
#include <set>
#include <stdexcept>

#include "commands.h"
#include "launch.h"

namespace software_metal {

namespace ffi = tvm::ffi;

struct Signature {
  std::vector<DLDataType> types;
  std::vector<std::string> tags;  // which part of the launch size each argument after the kernel's own gives
};

class Reader {
 public:
  explicit Reader(const ffi::Bytes& bytes) : next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  template <class Number>
  Number number() {
    Number value;
    memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  uint64_t count() { return number<uint64_t>(); }
  std::string text() {
    uint64_t length = count();
    return std::string(take(length), length);
  }
  bool at_end() const { return next_ == end_; }

 private:
  const char* take(uint64_t count) {
    if (count > static_cast<uint64_t>(end_ - next_)) TVM_FFI_THROW(ValueError) << "a metal module ends too early";
    next_ += count;
    return next_ - count;
  }
  const char* next_;
  const char* end_;
};

Signature read_signature(Reader& reader) {
  Signature signature;
  reader.text();  // the name once more
  for (uint64_t left = reader.count(); left > 0; --left) {
    DLDataType type;
    type.code = reader.number<uint8_t>();
    type.bits = reader.number<uint8_t>();
    type.lanes = reader.number<uint16_t>();
    signature.types.push_back(type);
  }
  for (uint64_t left = reader.count(); left > 0; --left) signature.tags.push_back(reader.text());
  for (uint64_t left = reader.count(); left > 0; --left) reader.number<int32_t>();  // further tags of the arguments
  return signature;
}

// A scalar in the eight bytes that the kernel's argument structure keeps for it.
uint64_t pack(DLDataType type, const ffi::AnyView& argument) {
  uint64_t packed = 0;
  if (type.code != kDLFloat) {
    int64_t value = argument.cast<int64_t>();
    int32_t narrow = static_cast<int32_t>(value);
    type.bits == 64 ? memcpy(&packed, &value, sizeof value) : memcpy(&packed, &narrow, sizeof narrow);
    return packed;
  }
  double value = argument.cast<double>();
  float narrow = static_cast<float>(value);
  type.bits == 64 ? memcpy(&packed, &value, sizeof value) : memcpy(&packed, &narrow, sizeof narrow);
  return packed;
}

void set_size(const std::string& tag, int64_t value, Size* grid, Size* group) {
  bool of_grid = tag.compare(0, 9, "blockIdx.") == 0;
  if (!of_grid && tag.compare(0, 10, "threadIdx.") != 0)
    TVM_FFI_THROW(ValueError) << "unknown launch parameter " << tag;
  Size* size = of_grid ? grid : group;
  uint32_t extent = value > 0 ? static_cast<uint32_t>(value) : 1;
  (tag.back() == 'x' ? size->x : tag.back() == 'y' ? size->y : size->z) = extent;
}

struct Launcher {
  Kernel kernel;
  Signature signature;

  void operator()(ffi::PackedArgs arguments, ffi::Any*) const {
    size_t own = signature.types.size();
    if (static_cast<size_t>(arguments.size()) != own + signature.tags.size()) {
      TVM_FFI_THROW(TypeError) << "kernel " << kernel.name << " is called with " << arguments.size() << " arguments";
    }
    std::vector<Buffer> buffers;
    std::vector<uint64_t> scalars;
    for (size_t index = 0; index < own; ++index) {
      if (signature.types[index].code != kDLOpaqueHandle) {
        scalars.push_back(pack(signature.types[index], arguments[index]));
        continue;
      }
      void* handle = arguments[index].cast<void*>();
      buffers.push_back(handle == nullptr ? Buffer() : Memory::global().find(handle));
    }
    Size grid, group;
    for (size_t index = 0; index < signature.tags.size(); ++index) {
      set_size(signature.tags[index], arguments[own + index].cast<int64_t>(), &grid, &group);
    }
    if (!Commands::global().launch(kernel.name)) return;
    try {
      launch(kernel, buffers, scalars, grid, group);
    } catch (const std::runtime_error& error) {
      TVM_FFI_THROW(RuntimeError) << error.what();
    }
  }
};

template <class Pointer>
Pointer symbol(void* library, const std::string& name, const std::string& kernel) {
  void* found = dlsym(library, (name + "_" + kernel).c_str());
  TVM_FFI_ICHECK(found != nullptr) << dlerror();
  return reinterpret_cast<Pointer>(found);
}

Kernel load_kernel(const std::string& name, const std::map<std::string, std::string>& texts) {
  static ffi::Function compile = ffi::Function::GetGlobalRequired("software_metal.compile_kernels");
  ffi::Map<ffi::String, ffi::String> all;
  for (const auto& [each, text] : texts) all.Set(each, text);
  std::string path = compile(all).cast<std::string>();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  TVM_FFI_ICHECK(library != nullptr) << dlerror();
  Kernel kernel;
  kernel.name = name;
  kernel.thread = symbol<void (*)(const Invocation*)>(library, "software_metal_thread", name);
  kernel.threadgroup_bytes = *symbol<const unsigned*>(library, "software_metal_threadgroup_bytes", name);
  kernel.synchronises = *symbol<const unsigned*>(library, "software_metal_synchronises", name) != 0;
  return kernel;
}

class MetalModule final : public ffi::ModuleObj {
 public:
  explicit MetalModule(const ffi::Bytes& bytes) : bytes_(bytes) {
    Reader reader(bytes);
    std::string format = reader.text();
    if (format != "metal") TVM_FFI_THROW(ValueError) << "only modules that hold Metal text can be run, not " << format;
    for (uint64_t left = reader.count(); left > 0; --left) {
      std::string name = reader.text();
      signatures_[name] = read_signature(reader);
    }
    for (uint64_t left = reader.count(); left > 0; --left) {
      std::string name = reader.text();
      texts_[name] = reader.text();
    }
    if (!reader.at_end()) TVM_FFI_THROW(ValueError) << "a metal module has more bytes than it should";
  }

  const char* kind() const final { return "metal"; }
  int GetPropertyMask() const final { return ffi::Module::kBinarySerializable | ffi::Module::kRunnable; }
  ffi::Bytes SaveToBytes() const final { return bytes_; }

  ffi::String InspectSource(const ffi::String&) const final {
    std::string all;
    for (const auto& [name, text] : texts_) all += "// Function: " + name + "\n" + text + "\n";
    return all;
  }

  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    auto signature = signatures_.find(name);
    if (signature == signatures_.end()) return std::nullopt;
    if (requested_.count(name) == 0) Commands::global().request(name);
    requested_.insert(name);
    Launcher launcher{load_kernel(name, texts_), signature->second};
    return ffi::Function::FromPacked(launcher);
  }

 private:
  ffi::Bytes bytes_;
  std::map<std::string, Signature> signatures_;
  std::map<std::string, std::string> texts_;
  std::set<std::string> requested_;
};

TVM_FFI_STATIC_INIT_BLOCK() {
  namespace reflection = tvm::ffi::reflection;
  reflection::GlobalDef().def("ffi.Module.load_from_bytes.metal", [](const ffi::Bytes& bytes) {
    return ffi::Module(ffi::make_object<MetalModule>(bytes));
  });
}

}  // namespace software_metal
