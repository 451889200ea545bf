/** The text if it is a path of the portal, otherwise undefined; used for redirects. */
export function localPath(text: string | undefined): string | undefined {
  if (text === undefined || !/^\/(portal|staff)(\/[\w\-./%]*)?(\?[^\\\s]*)?$/.test(text)) {
    return undefined
  }
  return text.startsWith('//') ? undefined : text
}
