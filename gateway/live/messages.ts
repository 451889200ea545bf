/**
 * The text frames of a live view, JSON in both directions. Pictures are binary frames: RFB bytes of
 * a desktop, or one JPEG per frame of a headless session's page.
 */
import { z } from 'zod'
import { commandLimits } from '../../proto/commands/limits.ts'
import type { TaskQuestion } from '../../proto/task/task.ts'
import { liveModes, type LiveMode } from '../sessions/tokens/live-token.ts'
import { gatewayLimits } from '../limits.ts'
import { liveLimits } from './limits.ts'

export type OpenQuestion = Pick<TaskQuestion, 'id' | 'kind' | 'action' | 'text'> & {
  readonly task_id: string
}

/**
 * Requests about the session itself that a viewer may send: list and select tabs, create links, end
 * the session.
 */
export type ViewerRight = 'tabs' | 'share' | 'end'

export interface SessionTab {
  readonly id: string
  readonly url: string
  readonly title: string
  readonly selected: boolean
}

export interface NewLink {
  readonly mode: LiveMode
  readonly live_view_url: string
  readonly expires_at: string
}

/** Messages to a viewer. */
export type ToViewer =
  | {
      readonly type: 'hello'
      readonly picture: 'desktop' | 'page'
      readonly mode: LiveMode
      readonly rights: readonly ViewerRight[]
      /** A video is made of the session. */
      readonly recorded?: true
    }
  /** The time that the session and the viewer's link have left; null: no limit. */
  | {
      readonly type: 'time'
      readonly session_ms: number | null
      readonly link_ms: number | null
    }
  /** The number of viewers of this session on all gateways. */
  | { readonly type: 'viewers'; readonly count: number }
  /** The size of the page in pixels, the unit of mouse positions. */
  | { readonly type: 'screen'; readonly width: number; readonly height: number }
  /** The question that a task of this session waits for, or null when there is none. */
  | { readonly type: 'question'; readonly question: OpenQuestion | null }
  | { readonly type: 'clipboard'; readonly id: number; readonly text: string }
  | { readonly type: 'title'; readonly id: number; readonly title: string }
  | { readonly type: 'tabs'; readonly id: number; readonly tabs: readonly SessionTab[] }
  | (NewLink & { readonly type: 'link'; readonly id: number })
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }

const id = z.number().int().nonnegative()
const pixel = z
  .number()
  .min(0)
  .max(liveLimits.screencastSidePx * 4)
const modifiers = z.number().int().min(0).max(15)
const name = z.string().max(64)
const delta = z.number().min(-10_000).max(10_000)

const { shortcutKeys } = commandLimits

const viewerRequestSchemas = [
  z.object({ type: z.literal('clipboard_read'), id }),
  z.object({ type: z.literal('clipboard_write'), id, text: z.string() }),
  z.object({ type: z.literal('type_text'), id, text: z.string() }),
  z.object({
    type: z.literal('press_keys'),
    id,
    keys: z.array(name.min(1)).min(1).max(shortcutKeys),
  }),
  z.object({
    type: z.literal('answer'),
    id,
    task_id: name,
    question_id: name,
    text: z.string().max(gatewayLimits.answerChars).optional(),
    approve: z.boolean().optional(),
  }),
  z.object({ type: z.literal('title'), id }),
  z.object({ type: z.literal('tabs'), id }),
  z.object({ type: z.literal('tab_select'), id, tab: name.min(1) }),
  z.object({
    type: z.literal('share'),
    id,
    mode: z.enum(liveModes),
    minutes: z.number().int().min(1).max(liveLimits.shareMinutes),
  }),
  z.object({ type: z.literal('end_session'), id }),
] as const

/** Input for the page of a headless session; the input of a desktop is RFB. */
const input = [
  z.object({
    type: z.literal('mouse'),
    act: z.enum(['move', 'down', 'up']),
    x: pixel,
    y: pixel,
    button: z.enum(['none', 'left', 'middle', 'right', 'back', 'forward']),
    buttons: z.number().int().min(0).max(31),
    clicks: z.number().int().min(0).max(3),
    modifiers,
  }),
  z.object({ type: z.literal('wheel'), x: pixel, y: pixel, dx: delta, dy: delta, modifiers }),
  z.object({
    type: z.literal('key'),
    act: z.enum(['down', 'up']),
    key: name,
    code: name,
    keyCode: z.number().int().min(0).max(255),
    location: z.number().int().min(0).max(3),
    repeat: z.boolean(),
    modifiers,
  }),
  z.object({ type: z.literal('text'), text: z.string().max(liveLimits.screencastTextChars) }),
] as const

const inputMessage = z.discriminatedUnion('type', input)
export type InputMessage = z.infer<typeof inputMessage>

const fromViewer = z.discriminatedUnion('type', [
  ...viewerRequestSchemas,
  ...input,
  /** A frame of a page has been drawn, so the next one may be sent. */
  z.object({ type: z.literal('drawn') }),
])
export type FromViewer = z.infer<typeof fromViewer>
/** Requests that are answered under their id. */
export type ViewerRequest = z.infer<(typeof viewerRequestSchemas)[number]>

/** Returns undefined for anything that is not a viewer's message. */
export function readMessage(data: Uint8Array): FromViewer | undefined {
  try {
    return fromViewer.safeParse(JSON.parse(Buffer.from(data).toString('utf8'))).data
  } catch {
    return undefined
  }
}
