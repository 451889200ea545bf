/** Selects text of the page, for actions on a selection: copying, deleting, formatting. */
import { z } from 'zod'
import { defineCommand } from '../command.ts'
import { actionOutput } from '../output.ts'
import { targetSchema } from '../target.ts'
import { commandLimits } from '../limits.ts'

const words = z.string().min(1).max(commandLimits.findChars)

export const selectTextCommand = defineCommand({
  name: 'select_text',
  help: 'Select text in a field, an editor or the page: some words, a range, or all of a target.',
  input: z
    .object({
      target: targetSchema.optional(),
      selector: targetSchema.optional(),
      text: words.optional().describe('The words to select, at their first occurrence.'),
      from: z
        .union([z.number().int().min(0), words])
        .optional()
        .describe('Start of the selection: words, or a number of characters.'),
      to: z
        .union([z.number().int().min(0), words])
        .optional()
        .describe(
          'End of the selection: words after from, which are included, or a number of ' +
            'characters.',
        ),
      timeout: z
        .number()
        .min(0)
        .max(commandLimits.selectorMaxMs)
        .default(commandLimits.selectorMs)
        .describe('Milliseconds to wait for the target.'),
    })
    .superRefine(({ target, selector, text, from, to }, context) => {
      const span = from !== undefined || to !== undefined
      const refuse = (field: string, message: string) =>
        context.addIssue({ code: 'custom', path: [field], message })
      if (target !== undefined && selector !== undefined) {
        refuse('target', 'must be given alone: a ref, a role and name, words, or a CSS selector')
      } else if ([target, selector, text].every((one) => one === undefined) && !span) {
        refuse('text', 'must be given, or send from and to, or a target instead')
      } else if (text !== undefined && span) {
        refuse('text', 'cannot be combined with from and to')
      }
    }),
  output: actionOutput,
  transport: 'page',
  repeat: 'safe',
  tool: {
    name: 'select_text',
    title: 'Select text',
    modelHelp: 'Select a target, or from some words to others, to copy, delete or format it.',
    readOnly: false,
    additive: true,
    input: z.object({
      target: targetSchema.optional(),
      from: words.optional(),
      to: words.optional(),
    }),
  },
})
