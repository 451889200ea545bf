import type { ShownReport } from '../shown.ts'

const titleChars = 60

/**
 * ASCII without characters that headers or file systems treat specially, as in
 * `audit-report-1-may-2026.pdf`.
 */
export function reportFileName(
  { title, id }: Pick<ShownReport, 'title' | 'id'>,
  extension: string,
) {
  const name = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, titleChars)
    .replaceAll(/^-+|-+$/g, '')
  return `${name === '' ? id : name}.${extension}`
}
