/** The clipboard of a session: the desktop's, or in a headless session the browser's own. */
import { z } from 'zod'
import { defineCommand } from '../command.ts'
import { emptyOutput, textOutput } from '../output.ts'
import { commandLimits } from '../limits.ts'

const fits = (text: string) => Buffer.byteLength(text) <= commandLimits.clipboardBytes
const text = z
  .string()
  .refine(fits, `must have at most ${commandLimits.clipboardBytes} bytes of UTF-8`)
const large = { bodyBytes: commandLimits.commandBodyBytes }

export const clipboardReadCommand = defineCommand({
  name: 'clipboard_read',
  help: 'Read the text on the clipboard; empty if there is none.',
  input: z.object({}),
  output: textOutput,
  transport: 'os',
  repeat: 'safe',
  rest: { method: 'GET', path: '/clipboard', answer: 'data' },
})

export const clipboardWriteCommand = defineCommand({
  name: 'clipboard_write',
  help: 'Put text on the clipboard.',
  input: z.object({ text }),
  output: emptyOutput,
  transport: 'os',
  repeat: 'safe',
  rest: { method: 'POST', path: '/clipboard', answer: 'status', ...large },
})

export const copyCommand = defineCommand({
  name: 'copy',
  help: 'Copy the selection to the clipboard and return its text; empty if nothing is selected.',
  input: z.object({}),
  output: textOutput,
  transport: 'os',
  repeat: 'safe',
  rest: { method: 'POST', path: '/copy', answer: 'bare' },
})

export const pasteCommand = defineCommand({
  name: 'paste',
  help: 'Paste text at the cursor; the clipboard keeps its content.',
  input: z.object({ text }),
  output: emptyOutput,
  transport: 'os',
  repeat: 'once',
  rest: { method: 'POST', path: '/paste', answer: 'status', ...large },
})
