/** Keyboard commands. Key names: §4 of the browser-service contract, case-insensitive. */
import { z } from 'zod'
import { defineCommand } from '../command.ts'
import { emptyOutput } from '../output.ts'
import { commandLimits } from '../limits.ts'

export const keyboardTypeCommand = defineCommand({
  name: 'keyboard_type',
  help: 'Type text in any script, character by character.',
  input: z
    .object({
      text: z.string().max(commandLimits.typedChars),
      delay: z.number().min(0).default(0).describe('ms between characters.'),
    })
    .refine(({ text, delay }) => text.length * delay <= commandLimits.typingMs, {
      path: ['delay'],
      message: `must be shorter: typing can take at most ${commandLimits.typingMs} ms in total`,
    }),
  output: emptyOutput,
  transport: 'os',
  repeat: 'once',
  rest: { method: 'POST', path: '/keyboard/type', answer: 'status' },
  tool: {
    name: 'os_type',
    title: 'Type on the desktop',
    modelHelp: 'Type into the focused window.',
    readOnly: false,
    input: z.object({ text: z.string() }),
  },
})

export const keyboardShortcutCommand = defineCommand({
  name: 'keyboard_shortcut',
  help: 'Press keys together, hold and release them, such as ["Ctrl", "a"].',
  input: z.object({
    keys: z.array(z.string().min(1).max(32)).min(1).max(commandLimits.shortcutKeys),
    holdTime: z.number().min(0).max(commandLimits.holdMs).default(0).describe('ms'),
  }),
  output: emptyOutput,
  transport: 'os',
  repeat: 'once',
  rest: { method: 'POST', path: '/keyboard/shortcut', answer: 'status' },
  tool: {
    name: 'os_shortcut',
    title: 'Press keys on the desktop',
    modelHelp: 'Press keys together on the desktop: ["Ctrl", "l"].',
    readOnly: false,
    input: z.object({ keys: z.array(z.string()) }),
  },
})
