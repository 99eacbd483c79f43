/* Images of modules: told from other bytes before the driver reads them. */
#include "code/jit.h"

#include <elf.h>
#include <string.h>

/* A truncated cubin would make the driver read past its end. */
bool cl_image_is_whole(const char *s, size_t n) {
  if (n >= sizeof(Elf64_Ehdr) && !memcmp(s, ELFMAG, SELFMAG)) {
    Elf64_Ehdr h;
    memcpy(&h, s, sizeof h);
    uint64_t sections = (uint64_t)h.e_shnum * h.e_shentsize, programs = (uint64_t)h.e_phnum * h.e_phentsize;
    if (h.e_shoff > n || sections > n - h.e_shoff || h.e_phoff > n || programs > n - h.e_phoff) return false;
    for (unsigned i = 0; i < h.e_shnum; i++) {
      Elf64_Shdr sh;
      if (h.e_shentsize < sizeof sh) return false;
      memcpy(&sh, s + h.e_shoff + (uint64_t)i * h.e_shentsize, sizeof sh);
      if (sh.sh_type != SHT_NOBITS && (sh.sh_offset > n || sh.sh_size > n - sh.sh_offset)) return false;
    }
    return true;
  }
  static const unsigned char fatbin[4] = {0x50, 0xed, 0x55, 0xba};
  if (n >= 16 &&
      !memcmp(s, fatbin, 4)) { /* u32 magic, u16 version, u16 header bytes, u64 bytes that follow */
    uint16_t header;
    uint64_t body;
    memcpy(&header, s + 6, 2);
    memcpy(&body, s + 8, 8);
    return header <= n && body <= n - header;
  }
  return n > 0 && (unsigned char)s[0] >= '\t' && (unsigned char)s[0] < 0x7f &&
         !memchr(s, 0, n); /* PTX is text */
}

bool cl_image_is_relocatable(const char *s, size_t n) {
  Elf64_Ehdr h;
  if (n < sizeof h || memcmp(s, ELFMAG, SELFMAG) != 0) return false;
  memcpy(&h, s, sizeof h);
  return h.e_type == ET_REL;
}

const char *cl_check_image(lua_State *L, int idx, size_t *n) {
  const char *image = lua_type(L, idx) == LUA_TSTRING ? lua_tolstring(L, idx, n) : NULL;
  if (!image) cl_bad_argument(L, idx, "image", "a string that holds a cubin, PTX or a fatbin");
  while (*n && image[*n - 1] == 0 && image[0] != 0x7f && image[0] != 0x50)
    --*n; /* PTX may come with its zero byte */
  if (!cl_image_is_whole(image, *n))
    cl_logic(L, "module image: %zu bytes are not a complete cubin, PTX or fatbin", *n);
  return image;
}
