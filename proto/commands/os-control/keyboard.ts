/** Keyboard commands. Key names: §4 of the browser-service contract, case-insensitive. */
import { z } from 'zod'
import { defineCommand } from '../command.ts'
import { emptyOutput } from '../output.ts'
import { commandLimits } from '../limits.ts'

export const keyboardTypeCommand = defineCommand({
  name: 'keyboard_type',
  help: 'Type a text of any script, one character after the other.',
  input: z
    .object({
      text: z.string().max(commandLimits.typedChars),
      delay: z.number().min(0).default(0).describe('ms between characters.'),
    })
    .refine(({ text, delay }) => text.length * delay <= commandLimits.typingMs, {
      path: ['delay'],
      message: `must be shorter: typing may take ${commandLimits.typingMs} ms in all`,
    }),
  output: emptyOutput,
  transport: 'os',
  repeat: 'once',
  rest: { method: 'POST', path: '/keyboard/type', answer: 'status' },
  tool: {
    name: 'os_type',
    title: 'Type on the desktop',
    modelHelp: 'Type where the keyboard of the desktop is.',
    readOnly: false,
    input: z.object({ text: z.string() }),
  },
})

export const keyboardShortcutCommand = defineCommand({
  name: 'keyboard_shortcut',
  help: 'Press keys together, hold them, release them: ["Ctrl", "a"].',
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
    modelHelp: 'Press keys together on the desktop, as ["Ctrl", "l"].',
    readOnly: false,
    input: z.object({ keys: z.array(z.string()) }),
  },
})
