/** The schemas of sessions: the fields of the browser-service contract, and a few more. */
import { defined } from '../../proto/defined.ts'
import { z } from 'zod'
import { setupConfiguration } from '../../proto/session/setup/browser-setup.ts'
import { noTraffic } from '../../proto/session/browser-reports.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import {
  sessionStatuses,
  type SessionOptions,
  type SessionView,
} from '../../proto/session/session.ts'
import type { SessionProfile } from '../../proto/session/profile.ts'
import { longPageCounts } from '../routing/answers/paging.ts'
import { gatewaySessionLimits } from './limits.ts'
import { toIsoTime } from '../routing/answers/iso-time.ts'
import type { TaskTally } from './task-tally.ts'

const status = z.enum(sessionStatuses)
const time = z.iso.datetime()
const none = z.literal(0).describe('Always 0: this service sells nothing.')
const bytes = z.number().int()
const proxyBytes = bytes.describe('What went through its own proxy, in bytes; 0 without one.')
const domains = z
  .array(z.string())
  .describe(
    'Where its pages were, the latest last; told within seconds, and when it ends. At most ' +
      `${sessionLimits.domainsShown}.`,
  )

export const successJson = z.object({ data: z.object({ status: z.literal('success') }) })

export const extendedJson = z.object({
  data: z.object({
    status: z.literal('success'),
    expires_at: time.optional(),
    idle_expires_at: time.optional(),
  }),
})

export const createdJson = z.object({
  data: z.object({
    id: z.string(),
    cdp_url: z
      .string()
      .describe('WebSocket URL for any CDP client; its key works for this session only.'),
    live_view_url: z.string(),
    status,
    created_at: time,
    expires_at: time.optional(),
    idle_expires_at: time.optional(),
  }),
})

export const sessionJson = z.object({
  data: z.object({
    id: z.string(),
    session_id: z.string(),
    team_id: z.string(),
    status,
    reason: z.string().optional().describe('Why the session ended.'),
    message: z.string().optional(),
    duration: z.number().int().describe('Duration so far, or in total, in seconds.'),
    tags: z.array(z.string()),
    created_at: time,
    ended_at: time.optional(),
    unreachable_since: time
      .optional()
      .describe(
        'Present while the status is unreachable: the browser’s host has no contact with the ' +
          'service. The session goes on when it is back.',
      ),
    expires_at: time.optional().describe('When max_duration ends the session.'),
    idle_expires_at: time
      .optional()
      .describe('When idle_timeout ends the session; absent while a client is connected.'),
    configuration: z.record(z.string(), z.unknown()),
    profile: z
      .object({
        name: z.string(),
        persist: z.boolean(),
        version: z.number().int().optional().describe('The version that it began with.'),
        saved_version: z.number().int().optional().describe('The version that its end saved.'),
        problem: z.string().optional().describe('Why it was not saved.'),
        logins_ended: z
          .array(z.string())
          .optional()
          .describe('Stored logins that it had kept, and that a page has asked for again.'),
      })
      .optional(),
    recording: z
      .object({
        status: z.enum(['ready', 'failed']),
        seconds: z.number().int(),
        problem: z.string().optional(),
      })
      .optional()
      .describe('Once the video of a recorded session is made, a moment after its end.'),
    cdp_url: z.string().optional().describe('Present while the session has a browser.'),
    live_view_url: z.string(),
    credits_used: none,
    proxy_bytes: proxyBytes,
    traffic: z
      .object({ sent_bytes: bytes, received_bytes: bytes })
      .optional()
      .describe(
        'What its browser has sent and received, headers and encryption included; told within seconds, ' +
          'and when it ends. Absent without NETWORK_ISOLATION.',
      ),
    blocked_requests: z
      .number()
      .int()
      .optional()
      .describe(
        'How many requests `block` has refused so far; told within seconds, and when it ends. Absent ' +
          'without `block`.',
      ),
    domains,
    playground: z.literal(false),
    tokens: z
      .object({ input: z.number(), cached: z.number(), output: z.number() })
      .describe('Total of its tasks.'),
    steps: z
      .array(z.object({ task_id: z.string(), step: z.number().int() }))
      .describe(`The steps of its tasks, at most the latest ${gatewaySessionLimits.stepsShown}.`),
  }),
})

const row = z.object({
  id: z.string(),
  status,
  reason: z.string().optional(),
  tags: z.array(z.string()),
  headless: z.boolean(),
  recording: z.boolean().describe('Whether a video is made of it.'),
  used_credits: none,
  proxy_bytes: proxyBytes,
  proxy_type: z.literal('custom').nullable(),
  steps: z.number().int().describe('Total of its tasks.'),
  duration: z.number().int(),
  created_at: time,
  user_configuration: z.record(z.string(), z.unknown()),
  task_initiated: z.boolean().describe('Whether the session was created for a task.'),
  task_executions_count: z
    .number()
    .int()
    .describe('Number of tasks in the session, including running ones.'),
  api_key_name: z.string(),
  browser_ip: z.null(),
  domains,
})

const pagedRowsJson = <R extends z.ZodType>(one: R) =>
  z.object({
    data: z.object({
      sessions: z.array(one),
      ...longPageCounts,
    }),
  })

export const sessionListJson = pagedRowsJson(row)
/** The sessions of all tenants. */
export const allSessionsJson = pagedRowsJson(row.extend({ tenant: z.string() }))

export const statusListJson = z.object({
  data: z.object({
    count: z.number().int(),
    items: z.array(
      z.object({ session_id: z.string(), status, created_at: time, tags: z.array(z.string()) }),
    ),
  }),
})

export const pagesJson = z
  .array(z.object({ id: z.string(), title: z.string(), url: z.string(), frontend_url: z.string() }))
  .describe('A bare array, without `data` around it.')

export const tagsJson = z.object({ data: z.object({ tags: z.array(z.string()) }) })

const durationOf = (view: SessionView, nowMs: number) =>
  Math.max(0, Math.round(((view.endedAtMs ?? nowMs) - view.createdAtMs) / 1000))

export function deadlinesOf({ expiresAtMs, idleExpiresAtMs }: SessionView) {
  return {
    ...(expiresAtMs !== undefined && { expires_at: toIsoTime(expiresAtMs) }),
    ...(idleExpiresAtMs !== undefined && { idle_expires_at: toIsoTime(idleExpiresAtMs) }),
  }
}

interface Urls {
  readonly cdp_url?: string
  readonly live_view_url: string
}

export function sessionData(
  view: SessionView,
  urls: Urls,
  { tokens, stepsOf }: TaskTally,
  nowMs: number,
) {
  const { id, tenant, reason, message, endedAtMs, unreachableSinceMs } = view
  return {
    id,
    session_id: id,
    team_id: tenant,
    status: view.status,
    ...defined({ reason, message }),
    duration: durationOf(view, nowMs),
    tags: [...view.tags],
    created_at: toIsoTime(view.createdAtMs),
    ...(endedAtMs !== undefined && { ended_at: toIsoTime(endedAtMs) }),
    ...(unreachableSinceMs !== undefined && { unreachable_since: toIsoTime(unreachableSinceMs) }),
    ...deadlinesOf(view),
    configuration: configurationOf(view.options),
    ...profileOf(view),
    ...recordingOf(view),
    ...urls,
    credits_used: 0 as const,
    proxy_bytes: proxyBytesOf(view),
    ...trafficOf(view),
    ...defined({ blocked_requests: view.use?.blockedRequests }),
    domains: domainsOf(view),
    playground: false as const,
    tokens: { ...tokens },
    steps: stepsOf
      .flatMap(({ task, steps }) => stepsIn(task, steps))
      .slice(-gatewaySessionLimits.stepsShown),
  }
}

function recordingOf({ recording }: SessionView) {
  if (!recording) return {}
  const { outcome, ...rest } = recording
  return { recording: { status: outcome, ...rest } }
}

const stepsIn = (task: string, steps: number) =>
  Array.from({ length: steps }, (_, index) => ({ task_id: task, step: index + 1 }))

const domainsOf = ({ use }: SessionView) => [...(use?.domains ?? [])]

function trafficOf({ use }: SessionView) {
  if (!use?.traffic) return {}
  const { sentBytes, receivedBytes } = use.traffic
  return { traffic: { sent_bytes: sentBytes, received_bytes: receivedBytes } }
}

function proxyBytesOf({ options, use }: SessionView): number {
  const { sentBytes, receivedBytes } = use?.traffic ?? noTraffic
  return options.proxy ? sentBytes + receivedBytes : 0
}

const profileOption = ({ name, persist, waitSeconds }: SessionProfile) => ({
  ...{ name, persist },
  ...defined({ wait: waitSeconds }),
})

function profileOf({ options, profile = {} }: SessionView) {
  if (!options.profile) return {}
  const { version, saved, problem, ended } = profile
  const { name, persist } = options.profile
  return {
    profile: {
      name,
      persist,
      ...defined({ version, saved_version: saved, problem, logins_ended: ended && [...ended] }),
    },
  }
}

export function sessionRow(
  view: SessionView,
  tally: TaskTally,
  nowMs: number,
): z.infer<typeof row> {
  const { id, status, reason, tags, options } = view
  return {
    id,
    status,
    ...defined({ reason }),
    tags: [...tags],
    headless: options.headless,
    recording: options.recording ?? false,
    used_credits: 0,
    proxy_bytes: proxyBytesOf(view),
    proxy_type: options.proxy ? 'custom' : null,
    steps: tally.steps,
    duration: durationOf(view, nowMs),
    created_at: toIsoTime(view.createdAtMs),
    user_configuration: configurationOf(options),
    task_initiated: tally.isInitiated,
    task_executions_count: tally.tasks,
    api_key_name: view.keyName,
    browser_ip: null,
    domains: domainsOf(view),
  }
}

export function statusRow({ id, status, createdAtMs, tags }: SessionView) {
  return { session_id: id, status, created_at: toIsoTime(createdAtMs), tags: [...tags] }
}

/** The options in effect, in the shape of the creation body. */
export function configurationOf(options: SessionOptions) {
  const { server, username } = options.proxy ?? {}
  return {
    session: {
      ...defined({ initial_url: options.initialUrl }),
      tags: options.tags,
      timeout: {
        max_duration: options.maxDurationMinutes,
        idle_timeout: options.idleTimeoutMinutes,
      },
      proxy: options.proxy
        ? { active: true, type: 'custom', server, ...defined({ username }) }
        : { active: false },
      ...(options.network && {
        network: {
          ...(options.network.allow && { allow: options.network.allow }),
          ...(options.network.deny && { deny: options.network.deny }),
          allow_private: options.network.allowPrivate ?? false,
        },
      }),
      recording: { active: options.recording ?? false },
      live_view: {
        read_only: options.liveViewReadOnly,
        ...(options.liveViewOnce && { one_time_url: true }),
      },
      ...(options.storageState && { storage_state: true }),
    },
    browser: {
      headless: { active: options.headless },
      viewport: options.viewport,
      ...(options.profile && { profile: profileOption(options.profile) }),
      ...(options.extensions && { extensions: [...options.extensions] }),
      fullscreen: { active: options.fullscreen },
      disable_web_security: { active: options.disableWebSecurity },
      pdf_viewer: { active: options.pdfViewer },
      popup_blocker: { active: options.popupBlocker },
      force_popups_as_tabs: { active: options.popupsAsTabs },
      evaluate: { active: options.evaluate ?? false },
      tracing: { active: options.tracing ?? false },
      adblock: { active: options.setup?.block?.ads ?? false },
      ...(options.setup && setupConfiguration(options.setup)),
    },
  }
}
