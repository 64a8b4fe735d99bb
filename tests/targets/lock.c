/* Keeps a file locked for a minute: lock FILE. */
#include <windows.h>
int wmain(int count, wchar_t **words) {
  HANDLE file = CreateFileW(words[1], GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
  if (count != 2 || file == INVALID_HANDLE_VALUE) return 1;
  CloseHandle(CreateFileW(L"locked", GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL));
  Sleep(60000);
  return 0;
}
