/** Scripts written for Puppeteer, which run beside the pages of a session. */
import { z } from 'zod'
import { defineCommand, type ToolForm } from '../command.ts'
import { commandLimits } from '../limits.ts'
import { scriptOutput } from '../output.ts'

const code = z
  .string()
  .min(1)
  .max(commandLimits.scriptChars)
  .describe(
    'A function: async ({ page, browser, args, log }) => …; page and browser are Puppeteer’s. It ' +
      'runs in a hidden page without a network; errors have the lines of this code.',
  )
  .meta({ examples: ['async ({ page, args }) => (await page.$$(args.selector)).length'] })

const scriptArguments = z
  .unknown()
  .refine((value) => (JSON.stringify(value) ?? '').length <= commandLimits.scriptArgumentsChars, {
    message: `must have at most ${commandLimits.scriptArgumentsChars} characters as JSON`,
  })
  .optional()
  .describe('JSON value that the function receives as args.')
  .meta({ examples: [{ selector: '#rows tr' }] })

/**
 * Offered only to tasks and MCP clients for which scripts are enabled; a script can do everything
 * that the other tools do.
 */
export const scriptTool = {
  name: 'run_script',
  title: 'Run a script',
  modelHelp:
    'Run Puppeteer on this tab: async ({ page, browser, log }) => { … return json }. For loops over ' +
    'rows or many fields. No imports. Refs are not known in it; use CSS or aria/Name selectors.',
  readOnly: false,
  input: z.object({ code }),
} satisfies ToolForm

export const runScriptCommand = defineCommand({
  name: 'run_script',
  help: 'Run a Puppeteer function in the session, starting with the selected tab.',
  input: z.object({
    code,
    arguments: scriptArguments,
    timeout: z
      .number()
      .int()
      .min(1)
      .max(commandLimits.scriptMaxMs)
      .default(commandLimits.scriptMs)
      .describe('Milliseconds after which the script is stopped.'),
  }),
  output: scriptOutput,
  transport: 'page',
  repeat: 'once',
  task: scriptTool,
  rest: {
    method: 'POST',
    path: '/scripts',
    answer: 'data',
    bodyBytes: commandLimits.commandBodyBytes,
  },
})
