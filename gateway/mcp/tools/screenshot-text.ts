/** Describes a picture in words for the model of an MCP client. */

export interface ScreenshotGeometry {
  readonly left: number
  readonly top: number
  readonly scale: number
  readonly cut_from?: { readonly width: number; readonly height: number }
}

/** Contains the data for converting a point in the picture to screen coordinates. */
export function screenshotText({ left, top, scale, cut_from: whole }: ScreenshotGeometry): string {
  const scaled = scale === 1 ? '' : `, ${scale} px for one of the page`
  const cut = whole
    ? ` It is cut off: the whole is ${whole.width}×${whole.height} px; scroll, or take an element.`
    : ''
  return `A picture; its top left is at x ${left}, y ${top} for os_click${scaled}.${cut}`
}
