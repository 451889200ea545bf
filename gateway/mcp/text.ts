/** Pictures in words, for the model of a client of MCP. */

export interface Picture {
  readonly left: number
  readonly top: number
  readonly scale: number
}

/** Enough to find on the screen what is seen in it. */
export function pictureText({ left, top, scale }: Picture): string {
  const scaled = scale === 1 ? '' : `, ${scale} px for one of the page`
  return `A picture; its top left is at x ${left}, y ${top} for os_click${scaled}.`
}
