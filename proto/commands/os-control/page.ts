/** Commands on the selected tab as a whole. */
import { z } from 'zod'
import { limits } from '../../limits.ts'
import { defineCommand } from '../command.ts'
import { loadFields } from '../page/loading.ts'
import { emptyOutput } from '../output.ts'
import { targetSchema } from '../target.ts'
import { commandLimits } from '../limits.ts'

export const gotoCommand = defineCommand({
  name: 'goto',
  help: 'Open a URL in the selected tab and wait until it has loaded.',
  input: z.object({ url: z.string().min(1).max(limits.urlBytes), ...loadFields }),
  output: emptyOutput,
  transport: 'page',
  repeat: 'safe',
  rest: { method: 'POST', path: '/goto', answer: 'status' },
})

export const attachUploadCommand = defineCommand({
  name: 'attach_upload',
  help: 'Put an uploaded file into a file input; an open file chooser of that input is closed.',
  input: z.object({
    id: z.string().describe('Id of the upload.'),
    selector: z.string().min(1).max(commandLimits.selectorChars).describe('CSS'),
    index: z.number().int().min(0).default(0).describe('Which of the matching elements, from 0.'),
  }),
  output: emptyOutput,
  transport: 'page',
  repeat: 'safe',
  rest: { method: 'POST', path: '/uploads/attach', answer: 'status' },
})

const screenshotSources = ['page', 'desktop'] as const

const sidePx = z.number().int().min(1).max(commandLimits.screenshotSidePx)

const pictureFields = {
  target: targetSchema.optional().describe('Only this element.'),
  full_page: z
    .boolean()
    .default(false)
    .describe(
      'Capture the whole page, not only the visible part: a PNG of up to 100 megapixels and 7.5 ' +
        'MiB; jpeg and webp up to 16,384 px high. The answer says if it is cut off.',
    ),
  scroll_through: z
    .boolean()
    .default(false)
    .describe('Scroll through the page first, so that lazy content loads.'),
  format: z.enum(['png', 'jpeg', 'webp']).default('png'),
  marks: z.boolean().default(false).describe('Draw the refs of a snapshot on the picture.'),
  max_width: sidePx.optional().describe('Maximum width in px; a wider picture is scaled down.'),
  max_height: sidePx.optional().describe('Maximum height in px; a taller picture is cropped.'),
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
  help: 'Take a screenshot of the selected tab, of a part of it, or of the whole desktop.',
  input: z.object({
    source: z.enum(screenshotSources).default('page'),
    ...pictureFields,
    quality: z.number().int().min(1).max(100).optional().describe('Quality of jpeg and webp.'),
    width: sidePx
      .optional()
      .describe('Width of the page while the picture is taken; requires height.'),
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
    scale: z
      .number()
      .describe('Pixels of the picture per pixel of input, which `left` and `top` are in.'),
    cut_from: z
      .object({ width: z.number(), height: z.number() })
      .optional()
      .describe('Present if the picture is cut off: the size in px that it would have.'),
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
