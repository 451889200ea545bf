/**
 * What keeps a browser logged in: cookies, local storage and IndexedDB, in the format of Playwright's
 * `storageState`, whose files can be sent as they are.
 */
import { z } from 'zod'
import { sessionLimits } from './limits.ts'

const cookieSchema = z.object({
  name: z.string().max(sessionLimits.cookieChars),
  value: z.string().max(sessionLimits.cookieChars),
  domain: z
    .string()
    .max(sessionLimits.domainChars)
    .regex(/^\.?[^\s.,;/?#@\\%][^\s,;/?#@\\%]*$/, 'must look like example.com or .example.com')
    .describe('With a leading dot: subdomains too.'),
  path: z.string().max(sessionLimits.cookieChars).default('/'),
  expires: z.number().default(-1).describe('Seconds since 1970; -1 for a session cookie.'),
  httpOnly: z.boolean().default(false),
  secure: z.boolean().default(false),
  sameSite: z.enum(['Strict', 'Lax', 'None']).default('Lax'),
  partitionKey: z
    .string()
    .max(sessionLimits.domainChars)
    .optional()
    .describe('The top-level site of a partitioned cookie, such as https://example.com.'),
  _crHasCrossSiteAncestor: z.boolean().optional().describe('Of a partitioned cookie.'),
})
export type StoredCookie = z.output<typeof cookieSchema>

const keyPath = {
  keyPath: z.string().optional(),
  keyPathArray: z.array(z.string()).optional(),
}

const recordSchema = z.object({
  key: z.unknown().optional().describe('Absent if the record itself contains it.'),
  keyEncoded: z.unknown().optional().describe('In place of a key that JSON cannot express.'),
  value: z.unknown().optional(),
  valueEncoded: z.unknown().optional().describe('In place of a value that JSON cannot express.'),
})

const databaseSchema = z.object({
  name: z.string(),
  version: z.number().int().min(1),
  stores: z.array(
    z.object({
      name: z.string(),
      ...keyPath,
      autoIncrement: z.boolean(),
      indexes: z.array(
        z.object({ name: z.string(), ...keyPath, multiEntry: z.boolean(), unique: z.boolean() }),
      ),
      records: z.array(recordSchema),
    }),
  ),
})

const { localStorageChars } = sessionLimits
const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text

const originSchema = z.object({
  origin: z
    .string()
    .max(sessionLimits.originChars)
    .regex(/^https?:\/\/[^/?#@\\\s]+$/, {
      error: 'must look like https://example.com',
      abort: true,
    })
    .refine(isOrigin, 'must be an origin as browsers write it, such as https://example.com'),
  localStorage: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .refine(
      (items) => items.map(({ name, value }) => name + value).join('').length <= localStorageChars,
      `must have at most ${localStorageChars} characters, names and values together`,
    )
    .default([]),
  indexedDB: z.array(databaseSchema).optional(),
})
export type OriginState = z.output<typeof originSchema>

/** Other fields, which later versions of Playwright may add, are ignored. */
export const storageStateSchema = z.object({
  cookies: z.array(cookieSchema).max(sessionLimits.cookiesPerState).default([]),
  origins: z
    .array(originSchema)
    .max(sessionLimits.originsPerState)
    .refine(
      (origins) => new Set(origins.map(({ origin }) => origin)).size === origins.length,
      'must have each origin once',
    )
    .default([]),
})
export type StorageState = z.output<typeof storageStateSchema>
