/**
 * The View as one classic script that sets `mcpDuetView`, to stand between `<script>` and `</script>`
 * in the HTML that a server gives out.
 */
export declare const viewScript: string;
