/** How reports look: the style of the page, with the agency's colour, and what the page may load. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../../runtime/lib/package.ts'

/** Whoever makes the reports. */
export interface Letterhead {
  readonly name?: string
  /** Lines such as an address, an e-mail address and a phone number. */
  readonly contact: readonly string[]
  /** Such as `#9a2f4b`. */
  readonly colour?: string
  /** As a `data:` URL. */
  readonly logo?: string
}

export interface ReportLook {
  readonly letterhead: Letterhead
  readonly style: string
  /** Loads nothing and allows only the page's own style. Also a `meta` element, for saved pages. */
  readonly policy: string
}

const baseStyle = ['report.css', 'shared/chart.css']
  .map((name) => readFileSync(join(packageRoot, 'gateway', 'web', name), 'utf8'))
  .join('\n')

export function reportLook(letterhead: Letterhead): ReportLook {
  const { colour, logo } = letterhead
  const style = colour === undefined ? baseStyle : `${baseStyle}\n${brandStyle(colour)}`
  const hash = createHash('sha256').update(style).digest('base64')
  const images = logo === undefined ? '' : ' img-src data:;'
  const policy = `default-src 'none'; style-src 'sha256-${hash}';${images} base-uri 'none'; form-action 'none'`
  return { letterhead, style, policy }
}

export const plainLook = reportLook({ contact: [] })

/** A colour that is too light for text on white is used for the bar alone. */
function brandStyle(colour: string): string {
  const text = contrastOnWhite(colour) >= textContrast ? colour : 'var(--ink)'
  const dark = `color-mix(in oklab, ${colour}, white 55%)`
  return `:root{--brand:${colour};--accent:light-dark(${text},${dark})}`
}

/** WCAG 2.2, 1.4.3. */
const textContrast = 4.5

function contrastOnWhite(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}
