/** How long a command that opens an address waits, and for what. */
import { z } from 'zod'
import { commandLimits } from '../limits.ts'

export const loadFields = {
  timeout: z
    .number()
    .min(1)
    .max(commandLimits.waitForMs)
    .optional()
    .describe(`Milliseconds to wait for the page; default ${commandLimits.navigateMs}.`),
  wait_until: z
    .enum(['load', 'domcontentloaded', 'commit'])
    .optional()
    .describe('Default load. commit: the server has answered, and the new page is there.'),
}

export interface LoadWait {
  readonly timeout?: number | undefined
  readonly wait_until?: 'load' | 'domcontentloaded' | 'commit' | undefined
}
