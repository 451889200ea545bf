/** What is done to the selected tab. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { command } from './command.ts'
import { done } from './output.ts'

export const goTo = command({
  name: 'goto',
  help: 'Send the selected tab to an address, and wait until it is there.',
  input: z.object({ url: z.string().min(1).max(limits.urlBytes) }),
  output: done,
  travels: 'page',
  repeat: 'safe',
  rest: { method: 'POST', path: '/goto', answer: 'status' },
})

export const attachUpload = command({
  name: 'attach_upload',
  help: 'Put an uploaded file into a file input; a file chooser that is open for it closes.',
  input: z.object({
    id: z.string().describe('Of the upload.'),
    selector: z.string().min(1).max(limits.selectorChars).describe('CSS'),
    index: z.number().int().min(0).default(0).describe('Which of the matches, from 0.'),
  }),
  output: done,
  travels: 'page',
  repeat: 'safe',
  rest: { method: 'POST', path: '/uploads/attach', answer: 'status' },
})

export const screenshotSources = ['page', 'desktop'] as const

export const screenshot = command({
  name: 'screenshot',
  help: 'A picture of the selected tab, or of the whole desktop.',
  input: z.object({ source: z.enum(screenshotSources).default('page') }),
  output: z.object({
    png: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
    /** Where the picture's top left is on the screen: what a click's coordinates are told from. */
    left: z.number(),
    top: z.number(),
  }),
  travels: 'page',
  repeat: 'safe',
  rest: { method: 'GET', path: '/screenshot', answer: 'png' },
})
