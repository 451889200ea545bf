/** The few static pages of the gateway, with `{{name}}` in them. Read once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../runtime/package.ts'

const read = (name: string) => readFileSync(join(packageRoot, 'gateway/web', name), 'utf8')

export const web = {
  index: read('index.html'),
  live: read('live.html'),
  login: read('login.html'),
}

/** Everything filled in is text, never markup. */
export function fill(page: string, values: Readonly<Record<string, string>>): string {
  return page.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ''))
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
