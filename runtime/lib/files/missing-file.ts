/** Whether a call failed because there is no such file, folder or program. */
export const isMissingFile = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ENOENT'
