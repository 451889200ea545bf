/** Reads the letterhead of reports from the settings, once, when the gateway starts. */
import { readFileSync } from 'node:fs'
import { defined } from '../../../proto/defined.ts'
import type { Config } from '../../../runtime/config/config.ts'
import { ConfigError } from '../../../runtime/config/setting.ts'
import type { Letterhead } from './page/look.ts'

export type LetterheadSettings = Pick<
  Config,
  'AGENCY_NAME' | 'AGENCY_LOGO' | 'AGENCY_COLOUR' | 'AGENCY_CONTACT'
>

/** It is part of each report. */
const logoBytes = 200 * 1024
const expected = 'use a PNG, JPEG or SVG file of at most 200 KiB'

const types: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [
    /^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!DOCTYPE svg|svg)[^]*<svg|^(?:\xef\xbb\xbf)?\s*<svg/,
    'image/svg+xml',
  ],
]

/** Throws a `ConfigError` if the logo cannot be used. */
export function readLetterhead(settings: LetterheadSettings): Letterhead {
  const { AGENCY_NAME: name, AGENCY_COLOUR: colour, AGENCY_CONTACT: contact } = settings
  return {
    contact: contact
      .split(';')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    ...(name !== '' && { name }),
    ...(colour !== '' && { colour }),
    ...defined({ logo: readLogo(settings.AGENCY_LOGO) }),
  }
}

function readLogo(path: string): string | undefined {
  if (path === '') return undefined
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    throw new ConfigError('AGENCY_LOGO', path, expected)
  }
  // An SVG is shown as a picture, in which scripts and links do nothing.
  const start = bytes.subarray(0, 4_096).toString('latin1')
  const type = types.find(([pattern]) => pattern.test(start))?.[1]
  if (type === undefined || bytes.length > logoBytes) {
    throw new ConfigError('AGENCY_LOGO', path, expected)
  }
  return `data:${type};base64,${bytes.toString('base64')}`
}
