/* Presses Ctrl-C after some seconds: interrupt PROGRAM ARGUMENTS... */
#include <windows.h>
int wmain(int count, wchar_t **words) {
  wchar_t *line = GetCommandLineW();
  STARTUPINFOW start = {.cb = sizeof start};
  PROCESS_INFORMATION child;
  DWORD code = 1;
  if (count < 2) return 1;
  for (line += *line == L'"'; *line && *line != L'"' && *line != L' '; line++);
  for (line += *line == L'"'; *line == L' '; line++);
  AllocConsole();
  if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child)) return 1;
  Sleep(8000);
  SetConsoleCtrlHandler(NULL, TRUE);
  GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
  if (WaitForSingleObject(child.hProcess, 20000) != WAIT_OBJECT_0) return 1;
  GetExitCodeProcess(child.hProcess, &code);
  return code;
}
