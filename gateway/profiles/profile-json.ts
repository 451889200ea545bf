/** Profiles as REST shows them: the contract's fields, and a few more. Keys of blobs are never shown. */
import { z } from 'zod'
import { defined } from '../../proto/defined.ts'
import {
  profileName,
  type ProfileRecord,
  type ProfileVersion,
} from '../../proto/session/profile.ts'
import { sessionLimits } from '../../proto/session/limits.ts'
import { newestOf } from '../../runtime/profiles/profile-records.ts'
import { toIsoTime } from '../routing/answers/iso-time.ts'

const time = z.iso.datetime()

export const profileOrder = z
  .strictObject({
    name: profileName,
    description: z.string().max(sessionLimits.profileDescriptionChars).optional(),
    source: z.literal('session').optional(),
    dedicated_sticky_ip: z.literal(false).optional(),
    session_id: z
      .string()
      .optional()
      .describe('A running session, which goes on: the profile begins with what it has now.'),
  })
  .refine(({ source, session_id }) => source === undefined || session_id !== undefined, {
    error: 'is required with source session',
    path: ['session_id'],
  })

export const profilePatch = z
  .strictObject({
    name: profileName.optional(),
    description: z.string().max(sessionLimits.profileDescriptionChars).optional(),
  })
  .refine(({ name, description }) => (name ?? description) !== undefined, {
    error: 'has nothing to change',
  })
  .meta({ minProperties: 1 })

export const savedProfileJson = z.object({
  data: z.object({
    status: z.literal('success'),
    name: z.string(),
    version: z.number().int(),
  }),
})

const versionJson = z.object({
  version: z.number().int(),
  saved_at: time,
  size_bytes: z.number().int(),
  session_id: z.string().describe('The session that saved it.'),
  chromium: z.string(),
  logins: z.array(z.string()).describe('The stored logins that were filled in before it.'),
  restored_from: z.number().int().optional(),
})

export const profileJson = z.object({
  name: z.string(),
  description: z.string(),
  source: z.literal('session'),
  session_id: z.string().nullable().describe('The session that saved the newest version.'),
  status: z
    .enum(['empty', 'ready', 'in_use'])
    .describe('empty: not saved yet. in_use: a session will save it when it ends.'),
  created_at: time,
  last_used_at: time.optional().describe('When a session last began with it.'),
  in_use_by: z.string().optional().describe('That session.'),
  version: z.number().int().describe('The newest one; 0 if it is not saved yet.'),
  size_bytes: z.number().int(),
  versions: z.array(versionJson).describe('Those that are kept, newest first.'),
})

export const profileListJson = z.object({
  data: z.object({ count: z.number().int(), items: z.array(profileJson) }),
})

export function toProfileJson(record: ProfileRecord): z.output<typeof profileJson> {
  const { name, description = '', createdAtMs, usedAtMs, holder, versions } = record
  const newest = newestOf(record)
  const savedStatus = newest ? 'ready' : 'empty'
  return {
    ...{ name, description, source: 'session' },
    session_id: newest?.sessionId ?? null,
    status: holder ? 'in_use' : savedStatus,
    created_at: toIsoTime(createdAtMs),
    ...(usedAtMs !== undefined && { last_used_at: toIsoTime(usedAtMs) }),
    ...defined({ in_use_by: holder?.sessionId }),
    version: newest?.version ?? 0,
    size_bytes: newest?.bytes ?? 0,
    versions: versions.toReversed().map(toVersionJson),
  }
}

function toVersionJson(given: ProfileVersion): z.output<typeof versionJson> {
  const { version, savedAtMs, bytes, sessionId, chromium, logins = [], restoredFrom } = given
  return {
    version,
    saved_at: toIsoTime(savedAtMs),
    size_bytes: bytes,
    session_id: sessionId,
    chromium,
    logins: [...logins],
    ...defined({ restored_from: restoredFrom }),
  }
}
