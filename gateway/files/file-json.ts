/** The schemas of files: the fields of the browser-service contract, and a few more. */
import { extname } from 'node:path'
import { z } from 'zod'
import {
  downloadStates,
  type DownloadedFile,
  type StoredFile,
} from '../../proto/browser-host/files.ts'
import { toIsoTime } from '../routing/answers/iso-time.ts'
import { commandLimits } from '../../proto/commands/limits.ts'

const time = z.iso.datetime()
const link = z.string().describe('URL of the file’s bytes; requires the key.')
const downloadLink = link.describe(
  'URL of the file’s bytes; requires the key. While the download is in progress, a request ' +
    'waits up to 30 seconds for it to finish, then fails with 409.',
)

/** The fields appear both at the top level and in `data`, because callers read either. */
export const uploadedJson = z.object({
  status: z.literal('success'),
  message: z.string(),
  data: z.object({
    status: z.literal('success'),
    message: z.string(),
    id: z.string().optional(),
    name: z.string().optional(),
    size: z.number().int().optional(),
  }),
})

export const uploadListJson = z.object({
  data: z.object({
    count: z.number().int(),
    items: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        size: z.number().int(),
        created_at: time,
        file_link: link,
      }),
    ),
  }),
})

export const downloadListJson = z.object({
  data: z.object({
    count: z.number().int(),
    items: z.array(
      z.object({
        id: z.string(),
        file_link: downloadLink,
        original_download_url: z.string(),
        origin_url: z.string().describe('URL of the page that started the download.'),
        suggested_file_name: z.string(),
        original_file_name: z
          .string()
          .describe('Last segment of the download URL, or the suggested name if there is none.'),
        duration: z.number().int().describe('Milliseconds.'),
        size: z
          .number()
          .int()
          .describe('Size in bytes; while in progress, the bytes received so far.'),
        state: z.enum(downloadStates),
        created_at: time,
      }),
    ),
  }),
})

export const agentFileListJson = z.object({
  data: z.object({
    files: z.array(
      z.object({
        name: z.string(),
        size: z.number().int(),
        type: z.string().describe('File name extension, without the dot.'),
        lastModified: time,
      }),
    ),
  }),
})

export const fileForm = z.object({
  file: z.string().meta({ format: 'binary' }),
})

export const uploadForm = fileForm.extend({
  selector: z
    .string()
    .max(commandLimits.selectorChars)
    .optional()
    .describe('CSS selector of the file input on the page that receives the file.'),
  index: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Which of the matching elements, from 0.'),
})

export function uploadRow({ id, name, bytes, createdAtMs }: StoredFile, base: string) {
  return { id, name, size: bytes, created_at: toIsoTime(createdAtMs), file_link: `${base}/${id}` }
}

export function downloadRow(file: DownloadedFile, base: string) {
  const { id, url, pageUrl, name, durationMs, bytes, state, createdAtMs } = file
  return {
    id,
    file_link: `${base}/${id}`,
    original_download_url: url,
    origin_url: pageUrl,
    suggested_file_name: name,
    original_file_name: lastPart(url) || name,
    duration: durationMs,
    size: bytes,
    state,
    created_at: toIsoTime(createdAtMs),
  }
}

export function agentFileRow({ name, bytes, createdAtMs }: StoredFile) {
  const type = extname(name).slice(1)
  return { name, size: bytes, type, lastModified: toIsoTime(createdAtMs) }
}

/** Returns '' for URLs without a file name: `data:`, `blob:`. */
function lastPart(url: string): string {
  if (!/^(https?|file):/.test(url)) return ''
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last // The name has a percent sign that encodes nothing.
  }
}
