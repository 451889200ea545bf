/** Outputs that several commands share. */
import { z } from 'zod'

/** For commands that return nothing. */
export const emptyOutput = z.object({})

/** The text of a clipboard or a selection. */
export const textOutput = z.object({ text: z.string() })

/** The effect of an action on a page. */
export const actionOutput = z.object({
  url: z.string(),
  title: z.string(),
  changes: z
    .string()
    .describe('Lines of the snapshot that are new (+), changed (~) or gone (-); empty for none.'),
  matches: z
    .number()
    .int()
    .optional()
    .describe(
      'How many elements the target matched, when several; the first that is seen is meant.',
    ),
  opened: z.string().optional().describe('Id of a tab that opened, and is the selected one now.'),
  dialog: z.string().optional().describe('A dialog that is open now, and stops the page.'),
  note: z
    .string()
    .optional()
    .describe('What went otherwise than asked: where a press landed, what a field has now.'),
})

/** What a script returned and logged, and its effect on the selected tab. */
export const scriptOutput = actionOutput.extend({
  value: z
    .unknown()
    .describe('What the function returned, as JSON; null for nothing.')
    .meta({ examples: [42] }),
  logs: z
    .array(z.string())
    .describe('What it gave to log() or console.log().')
    .meta({ examples: [['42 rows']] }),
})

/** Text about a page, limited by a token budget. */
export const pageTextOutput = z.object({
  url: z.string(),
  title: z.string(),
  text: z.string(),
  more: z.number().int().describe('Lines, or characters of text, that did not fit.'),
})
