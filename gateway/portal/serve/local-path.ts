import { pathWithin } from '../../html/answers/local-path.ts'

/** The text if it is a path of the portal, otherwise undefined; used for redirects. */
export const localPath = (text: string | undefined): string | undefined =>
  pathWithin(text, ['/portal', '/staff'])
