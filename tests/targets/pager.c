/* A pager that writes what it shows to the file `paged`. */
#include <stdio.h>
int wmain(void) {
  FILE *page = fopen("paged", "wb");
  int byte;
  while ((byte = getchar()) != EOF) putc(byte, page);
  return fclose(page);
}
