/** Whether a call of the file system failed because there is no such file or folder. */
export const isMissingFile = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ENOENT'
