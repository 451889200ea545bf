/** Commands on the selected tab as a whole. */
import { z } from 'zod'
import { limits } from '../../limits.ts'
import { defineCommand } from '../command.ts'
import { emptyOutput } from '../output.ts'
import { targetSchema } from '../target.ts'
import { commandLimits } from '../limits.ts'

export const gotoCommand = defineCommand({
  name: 'goto',
  help: 'Send the selected tab to an address, and wait until it is there.',
  input: z.object({ url: z.string().min(1).max(limits.urlBytes) }),
  output: emptyOutput,
  transport: 'page',
  repeat: 'safe',
  rest: { method: 'POST', path: '/goto', answer: 'status' },
})

export const attachUploadCommand = defineCommand({
  name: 'attach_upload',
  help: 'Put an uploaded file into a file input; a file chooser that is open for it closes.',
  input: z.object({
    id: z.string().describe('Of the upload.'),
    selector: z.string().min(1).max(commandLimits.selectorChars).describe('CSS'),
    index: z.number().int().min(0).default(0).describe('Which of the matches, from 0.'),
  }),
  output: emptyOutput,
  transport: 'page',
  repeat: 'safe',
  rest: { method: 'POST', path: '/uploads/attach', answer: 'status' },
})

const screenshotSources = ['page', 'desktop'] as const

const sidePx = z.number().int().min(1).max(commandLimits.screenshotSidePx)

const pictureFields = {
  target: targetSchema.optional().describe('An element to show, and nothing else.'),
  full_page: z.boolean().default(false).describe('Also what is out of sight.'),
  scroll_through: z
    .boolean()
    .default(false)
    .describe('Scroll through the page first, for what loads when it is seen.'),
  format: z.enum(['png', 'jpeg', 'webp']).default('png'),
  marks: z.boolean().default(false).describe('Draw the refs of a snapshot at their places.'),
  max_width: sidePx.optional().describe('px; a wider picture is scaled down.'),
  max_height: sidePx.optional().describe('px; of a taller picture the rest is left out.'),
}

/**
 * About the width of a usual window, so that positions in the image correspond to positions in the
 * page.
 */
const modelPicture = {
  format: 'webp',
  quality: commandLimits.modelPictureQuality,
  max_width: commandLimits.modelPictureWidthPx,
  max_height: commandLimits.modelPictureHeightPx,
}

export const screenshotCommand = defineCommand({
  name: 'screenshot',
  help: 'A picture of the selected tab or a part of it, or of the whole desktop.',
  input: z.object({
    source: z.enum(screenshotSources).default('page'),
    ...pictureFields,
    quality: z.number().int().min(1).max(100).optional().describe('Of jpeg and webp.'),
    width: sidePx.optional().describe('Of the page, for the time of the picture; with height.'),
    height: sidePx.optional(),
  }),
  output: z.object({
    image: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
    type: z.string().describe('image/png, image/jpeg or image/webp.'),
    /**
     * Screen position of the image's top left corner, which click coordinates are computed from.
     */
    left: z.number(),
    top: z.number(),
    scale: z.number().describe('Pixels of the picture for one of the page.'),
  }),
  transport: 'page',
  repeat: 'safe',
  rest: { method: 'GET', path: '/screenshot', answer: 'image' },
  tool: {
    name: 'screenshot',
    title: 'Take a screenshot',
    modelHelp: 'See what a snapshot cannot tell: layout, pictures. Act by snapshot refs.',
    readOnly: true,
    input: z.object({
      target: targetSchema.optional().describe('Only an element.'),
      full_page: z.boolean().default(false),
      marks: z.boolean().default(false).describe('Draws refs.'),
      source: z.enum(screenshotSources).default('page'),
    }),
    extraInput: ({ source }) => (source === 'desktop' ? {} : modelPicture),
  },
  task: {
    name: 'screenshot',
    title: 'Look at a picture',
    modelHelp: 'Be shown a picture of the page with the next one: layout, images, drawings.',
    readOnly: true,
    input: z.object({}),
  },
})
