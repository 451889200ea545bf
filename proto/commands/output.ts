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
    .describe(
      'Lines of the snapshot that are new (+), changed (~) or gone (-); empty if nothing ' +
        'changed.',
    ),
  matches: z
    .number()
    .int()
    .optional()
    .describe(
      'Number of elements that the target matched, if several; the first visible one is used.',
    ),
  opened: z.string().optional().describe('Id of a tab that opened and is now selected.'),
  dialog: z.string().optional().describe('Open dialog that blocks the page.'),
  note: z
    .string()
    .optional()
    .describe(
      'What differs from the request, such as where a press landed or what a field contains.',
    ),
})

/** What a script returned and logged, and its effect on the selected tab. */
export const scriptOutput = actionOutput.extend({
  value: z
    .unknown()
    .describe('Return value of the function, as JSON; null if none.')
    .meta({ examples: [42] }),
  logs: z
    .array(z.string())
    .describe('Arguments of log() and console.log().')
    .meta({ examples: [['42 rows']] }),
})

/** What was filled into a form, and its effect. */
export const filledOutput = actionOutput.extend({
  login: z.string().meta({ examples: ['shop.example'] }),
  filled: z
    .array(z.string())
    .describe('What was filled in: username, password, code, other fields by name.')
    .meta({ examples: [['username', 'password']] }),
})

/** Text about a page, limited by a token budget. */
export const pageTextOutput = z.object({
  url: z.string(),
  title: z.string(),
  text: z.string(),
  more: z.number().int().describe('Number of lines, or characters of text, that did not fit.'),
})
