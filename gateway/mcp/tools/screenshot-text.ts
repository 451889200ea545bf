/** Describes a picture in words for the model of an MCP client. */

export interface ScreenshotGeometry {
  readonly left: number
  readonly top: number
  readonly scale: number
}

/** Contains the data for converting a point in the picture to screen coordinates. */
export function screenshotText({ left, top, scale }: ScreenshotGeometry): string {
  const scaled = scale === 1 ? '' : `, ${scale} px for one of the page`
  return `A picture; its top left is at x ${left}, y ${top} for os_click${scaled}.`
}
