// @ts-check
import "./actions.js";
import "./passage.js";
