/**
 * The demo page, one file that loads nothing. Gateways serve it at `/demo`. A browser that may not
 * reach the gateway gets it at the same address from its network filter.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../lib/package.ts'

export const demoPath = '/demo'

export interface DemoPage {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

let page: DemoPage | undefined

/** Read at the first call. */
export function demoPage(): DemoPage {
  return (page ??= readPage())
}

function readPage(): DemoPage {
  const html = readFileSync(join(packageRoot, 'runtime/browser-host/demo/page.html'), 'utf8')
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(html, 'script')}`,
    `style-src ${hashOf(html, 'style')}`,
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    html,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  }
}

/** Lets the page's own script and style run, and no other. */
function hashOf(html: string, tag: 'script' | 'style'): string {
  const [, text = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(html) ?? []
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
