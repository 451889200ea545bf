/** Describes a picture in words for the model of an MCP client. */

export interface ScreenshotGeometry {
  readonly left: number
  readonly top: number
  readonly scale: number
}

/** Contains what is needed to convert a point in the picture to the screen. */
export function screenshotText({ left, top, scale }: ScreenshotGeometry): string {
  const scaled = scale === 1 ? '' : `, ${scale} px for one of the page`
  return `A picture; its top left is at x ${left}, y ${top} for os_click${scaled}.`
}
