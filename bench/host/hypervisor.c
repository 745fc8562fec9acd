// Whether this is a virtual machine, and the name of its hypervisor.
#include "bench/host/files.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

struct known {
    const char *sign, *name;
};

static const char *find(const struct known *known, size_t count, const char *sign) {
    for (size_t i = 0; sign && i < count; i++)
        if (strncmp(sign, known[i].sign, strlen(known[i].sign)) == 0)
            return known[i].name;
    return NULL;
}

// CPUID leaf 0x40000000 holds 12 letters that the hypervisor chooses. Source of the list: the hypervisors'
// documentation.
static const char *from_cpuid(void) {
#if defined(__x86_64__)
    static const struct known known[] = {
        {"KVMKVMKVM", "KVM"},           {"Linux KVM Hv", "KVM"},   {"Microsoft Hv", "Hyper-V"},
        {"VMwareVMware", "VMware"},     {"XenVMMXenVMM", "Xen"},   {"TCGTCGTCGTCG", "QEMU"},
        {"VBoxVBoxVBox", "VirtualBox"}, {"bhyve bhyve ", "bhyve"}, {"ACRNACRNACRN", "ACRN"},
        {" lrpepyh vr", "Parallels"},
    };
    unsigned eax, letters[3];
    char sign[13] = "";
    __cpuid(0x40000000, eax, letters[0], letters[1], letters[2]);
    memcpy(sign, letters, sizeof letters);
    return find(known, sizeof known / sizeof known[0], sign);
#else
    return NULL;
#endif
}

// The firmware's tables name the machine. Clouds offer bare metal under the same vendor name: ".metal" marks it.
static const char *from_firmware(struct arena *arena) {
    static const struct known known[] = {
        {"QEMU", "QEMU"},
        {"KVM", "KVM"},
        {"Amazon EC2", "Amazon EC2"},
        {"Google Compute Engine", "Google Compute Engine"},
        {"VMware", "VMware"},
        {"innotek GmbH", "VirtualBox"},
        {"Xen", "Xen"},
        {"OpenStack", "OpenStack"},
        {"Alibaba Cloud ECS", "Alibaba Cloud"},
        {"Virtual Machine", "Hyper-V"},
        {"Parallels", "Parallels"},
    };
    const char *vendor = host_line(arena, "/sys/class/dmi/id/sys_vendor");
    const char *product = host_line(arena, "/sys/class/dmi/id/product_name");
    if (product && strstr(product, ".metal"))
        return NULL;
    const char *name = find(known, sizeof known / sizeof known[0], product);
    return name ? name : find(known, sizeof known / sizeof known[0], vendor);
}

static const char *from_kernel(struct arena *arena) {
    static const struct known known[] = {{"xen", "Xen"}, {"linux,kvm", "KVM"}, {"linux,dummy-virt", "QEMU"}};
    const char *type = host_line(arena, "/sys/hypervisor/type");
    if (!type)
        type = host_line(arena, "/proc/device-tree/hypervisor/compatible");
    if (!type)
        type = host_line(arena, "/proc/device-tree/compatible");
    return find(known, sizeof known / sizeof known[0], type);
}

void host_read_hypervisor(struct arena *arena, struct host *host) {
    bool is_flagged = false; // x86 only: other ISAs have no such feature
    for (const char *const *flag = host->flags; *flag; flag++)
        is_flagged = is_flagged || strcmp(*flag, "hypervisor") == 0;
    host->hypervisor = from_kernel(arena);
    if (!host->hypervisor && is_flagged && host_root_is_real())
        host->hypervisor = from_cpuid();
    if (!host->hypervisor)
        host->hypervisor = from_firmware(arena);
    if (!host->hypervisor && is_flagged)
        host->hypervisor = "unknown";
}
