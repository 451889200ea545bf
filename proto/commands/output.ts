/** Outputs that several commands share. */
import { z } from 'zod'

/** Nothing to tell but that it is done. */
export const done = z.object({})

/** A clipboard's or a selection's text. */
export const textOutput = z.object({ text: z.string() })

/** What an action on a page has led to. */
export const acted = z.object({
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
})

/** Text about a page, within a budget. */
export const pageText = z.object({
  url: z.string(),
  title: z.string(),
  text: z.string(),
  more: z.number().int().describe('Lines, or characters of text, that did not fit.'),
})
