/** Commands that read the selected tab. */
import { z } from 'zod'
import { defineCommand } from '../command.ts'
import { pageTextOutput } from '../output.ts'
import { targetSchema } from '../target.ts'
import { commandLimits } from '../limits.ts'

const budget = z
  .number()
  .int()
  .min(commandLimits.snapshotTokensMin)
  .max(commandLimits.snapshotTokensMax)
  .default(commandLimits.snapshotTokens)

export const snapshotCommand = defineCommand({
  name: 'snapshot',
  help: 'Get the page as text: elements to act on, each with a ref, and text to read.',
  input: z.object({
    target: targetSchema.optional().describe('Only inside it.'),
    urls: z.boolean().default(false).describe('Include link URLs.'),
    boxes: z.boolean().default(false).describe('Include positions, in pixels.'),
    max_tokens: budget,
  }),
  output: pageTextOutput.extend({
    drawn: z
      .number()
      .int()
      .optional()
      .describe('Percentage of the view that is canvas; take a screenshot to see it.'),
  }),
  transport: 'page',
  repeat: 'safe',
  rest: { method: 'GET', path: '/snapshot', answer: 'data' },
  tool: {
    name: 'snapshot',
    title: 'Look at the page',
    modelHelp:
      'Text of the page, one line per item, with refs (e12) to act on. Actions answer with ' +
      'what changed, so another is rarely needed.',
    readOnly: true,
  },
  // A task gets a snapshot of the page before each decision anyway.
  task: null,
})

const px = z.number().int()

/** In pixels of the view, from its top left corner. */
const wordPlaceOutput = z.object({ x: px, y: px, width: px, height: px })

const findInput = z.object({
  text: z.string().min(1).max(commandLimits.findChars).describe('Part of a name, value or text.'),
  max_tokens: budget,
})

export const findCommand = defineCommand({
  name: 'find',
  help: 'Find lines of the snapshot that contain a text, including lines that did not fit in it.',
  input: findInput.extend({
    boxes: z.boolean().default(false).describe('Include the positions of the words, in pixels.'),
  }),
  output: pageTextOutput.extend({
    places: z
      .array(wordPlaceOutput)
      .max(commandLimits.wordPlacesMax)
      .optional()
      .describe('Positions of the words in view, if `boxes` is true: one entry per line of text.'),
  }),
  transport: 'page',
  repeat: 'safe',
  tool: {
    name: 'find',
    title: 'Find on the page',
    modelHelp: 'Search the whole page, when it is long or the snapshot said that there is more.',
    readOnly: true,
    // Models act by refs and by words, not by places.
    input: findInput,
    output: pageTextOutput,
  },
  task: {
    name: 'find',
    title: 'Find on the page',
    modelHelp: 'Search the whole page for a text, when there is more of it than is shown.',
    readOnly: true,
    input: z.object({ text: z.string() }),
    extraInput: () => ({ max_tokens: commandLimits.taskFoundTokens }),
  },
})

export const extractTextCommand = defineCommand({
  name: 'extract_text',
  help: 'Get the content of the page, or of a part of it, as Markdown or HTML.',
  input: z.object({
    target: targetSchema.optional().describe('Only inside it.'),
    format: z.enum(['markdown', 'html']).default('markdown'),
    max_chars: z
      .number()
      .int()
      .min(1)
      .max(commandLimits.extractChars)
      .default(commandLimits.extractChars),
  }),
  output: pageTextOutput,
  transport: 'page',
  repeat: 'safe',
  task: {
    name: 'read_text',
    title: 'Read the text',
    modelHelp: 'All that the page, or the target in it, says, with the addresses of links.',
    readOnly: true,
    input: z.object({ target: targetSchema.optional() }),
    // The text is cut after masking, because half a secret would not be recognised.
    extraInput: () => ({ max_chars: 2 * commandLimits.taskReadChars }),
  },
})

const inches = z.number().min(0).max(200)

export const pdfCommand = defineCommand({
  name: 'pdf',
  help: 'Print the page as a PDF.',
  input: z.object({
    landscape: z.boolean().default(false),
    print_background: z.boolean().default(false),
    scale: z.number().min(0.1).max(2).default(1),
    paper_width: inches.default(8.5),
    paper_height: inches.default(11),
    margin_top: inches.default(0.4),
    margin_bottom: inches.default(0.4),
    margin_left: inches.default(0.4),
    margin_right: inches.default(0.4),
    page_ranges: z.string().max(200).optional().describe('Page ranges, such as 1-5, 8.'),
    prefer_css_page_size: z.boolean().default(false),
    header_footer: z.boolean().default(false),
    header_template: z.string().max(commandLimits.scriptChars).optional().describe('HTML'),
    footer_template: z.string().max(commandLimits.scriptChars).optional().describe('HTML'),
  }),
  output: z.object({ pdf: z.custom<Uint8Array>((value) => value instanceof Uint8Array) }),
  transport: 'page',
  repeat: 'safe',
})
