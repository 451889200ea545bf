/** Scripts written for Puppeteer, which run beside the pages of a session. */
import { z } from 'zod'
import { defineCommand } from '../command.ts'
import { commandLimits } from '../limits.ts'
import { actionOutput } from '../output.ts'

const code = z
  .string()
  .min(1)
  .max(commandLimits.scriptChars)
  .describe(
    'A function: async ({ page, browser, args, log }) => …; page and browser are Puppeteer’s.',
  )

const scriptArguments = z
  .unknown()
  .refine((value) => (JSON.stringify(value) ?? '').length <= commandLimits.scriptArgumentsChars, {
    message: `must have ${commandLimits.scriptArgumentsChars} characters as JSON at most`,
  })
  .optional()
  .describe('JSON that the function gets as args.')

export const runScriptCommand = defineCommand({
  name: 'run_script',
  help: 'Run a function written for Puppeteer on the session, beginning with the selected tab.',
  input: z.object({
    code,
    arguments: scriptArguments,
    timeout: z
      .number()
      .int()
      .min(1)
      .max(commandLimits.scriptMaxMs)
      .default(commandLimits.scriptMs)
      .describe('ms until the script is ended.'),
  }),
  output: actionOutput.extend({
    value: z.unknown().describe('What the function returned, as JSON; null for nothing.'),
    logs: z.array(z.string()).describe('What it gave to log() or console.log().'),
  }),
  travels: 'page',
  repeat: 'once',
  rest: {
    method: 'POST',
    path: '/scripts',
    answer: 'data',
    bodyBytes: commandLimits.commandBodyBytes,
  },
})
